import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Beside the entry that this was bundled into, one above its chunks, or built beside these sources. */
const places = ['./store-worker.js', '../store-worker.js', '../../dist/store-worker.js']

/** The file that the thread with the database starts with. */
export function workerUrl(): URL {
  const found = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(fileURLToPath(url)))
  if (!found) throw new Error('store-worker.js is missing: install the package again, or build it with npm run build')
  return found
}
