/** Where a daemon's data is. Apart from the other settings, as the quick commands need nothing else. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"

/** `--home`, else `TREEMARK_HOME`, else the user's folder for data. */
export const homeFolder = (flag: string | undefined, environment: NodeJS.ProcessEnv = process.env): string => {
  const named = flag ?? environment.TREEMARK_HOME
  if (named !== undefined && named !== "") return resolve(named)
  const data = environment.XDG_DATA_HOME
  return join(data === undefined || data === "" ? join(homedir(), ".local", "share") : resolve(data), "treemark")
}
