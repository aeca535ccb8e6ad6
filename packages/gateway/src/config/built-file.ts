import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Candidates: beside the bundled entry, one level above its chunks, and in `dist` of these sources. */
const places = ['./', '../', '../../dist/']

/** Finds a file of the built package. `what` names the file in the error. */
export function builtFile(path: string, what: string): URL {
  const found = places.map((place) => new URL(`${place}${path}`, import.meta.url)).find((url) => existsSync(fileURLToPath(url)))
  if (!found) throw new Error(`${what} is missing: install the package again, or build it with npm run build`)
  return found
}
