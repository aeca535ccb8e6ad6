import { readFileSync } from 'node:fs'

/** Paths to package.json from the bundle, from one of its chunks, and from this source. */
const places = ['../package.json', '../../package.json']

export const packageVersion: string = places.map(versionIn).find((found) => found !== undefined) ?? '0.0.0'

function versionIn(place: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as Record<string, unknown>
    return name === '@toolwire/gateway' && typeof version === 'string' ? version : undefined
  } catch {
    return undefined // not at this path
  }
}
