/** Starts the console in the page. */
import { render } from "preact"
import { App } from "./App.tsx"

const place = document.getElementById("console")
if (place !== null) {
  place.replaceChildren()
  render(<App />, place)
}
