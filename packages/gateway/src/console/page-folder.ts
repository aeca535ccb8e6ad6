import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Beside the entry that this was bundled into, one above its chunks, or built beside these sources. */
const places = ['./console/', '../console/', '../../dist/console/']

/** Where the files of the page are. */
export function pageFolder(): string {
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const found = folders.find((folder) => existsSync(`${folder}index.html`))
  if (found === undefined)
    throw new Error("The console's page is missing: install the package again, or build it with npm run build")
  return found
}
