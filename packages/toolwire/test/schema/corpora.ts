import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Json } from '../../src/json.js'
import { dataFolder } from '../data.js'

export type SuiteGroup = { description: string; schema: Json; tests: { description: string; data: Json; valid: boolean }[] }

export const corpora = dataFolder('json-schema')

/** The required test files of one draft. */
export function suiteFiles(root: string, folder: string): { file: string; groups: SuiteGroup[] }[] {
  const directory = join(root, 'tests', folder)
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'))
  return names.map((file) => ({ file, groups: JSON.parse(readFileSync(join(directory, file), 'utf8')) }))
}

/** The documents that the suite refers to, by their expected URLs. */
export function suiteRemotes(root: string): Record<string, Json> {
  const directory = join(root, 'remotes')
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(
    names.map((name) => [
      `http://localhost:1234/${name.split(sep).join('/')}`,
      JSON.parse(readFileSync(join(directory, name), 'utf8')),
    ]),
  )
}
