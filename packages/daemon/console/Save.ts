/** Files for the person to keep, out of the daemon's answers. */

export const saveAnswer = async (answer: Response, name: string): Promise<void> => {
  const url = URL.createObjectURL(await answer.blob())
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
