import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Beside the entry that this was bundled into, one above its chunks, or built beside these sources. */
const places = ['./', '../', '../../dist/']

/** Where a file of the built package is. `what` names it for the operator. */
export function builtFile(path: string, what: string): URL {
  const found = places.map((place) => new URL(`${place}${path}`, import.meta.url)).find((url) => existsSync(fileURLToPath(url)))
  if (!found) throw new Error(`${what} is missing: install the package again, or build it with npm run build`)
  return found
}
