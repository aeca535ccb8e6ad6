// The table of recorded changes in docs/guides/gateway.md has every name under which the gateway records an action, and no other.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'packages/gateway/src')
const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(source, name))
  .concat(join(root, 'packages/toolwire/src/server/calls/refused-calls.ts'))
  .map((file) => readFileSync(file, 'utf8'))

/** The places where an action gets its name, as a text or as a template. */
const places = [
  /\bact: (['`])([^'`]+)\1(?! \|)/g,
  /\bwithAuditRecord\(\s*\w+,\s*(['`])([^'`]+)\1/g,
  /#definitions\((['`])([^'`]+)\1/g,
  /\bact = [^\n]*\? (['`])([^'`]+)\1/g,
  /\bact = [^\n]* : (['`])([^'`]+)\1/g,
  /\btool: (['`])toolwire\/(refuse-[a-z]+)\1/g,
]
/** The values of the variables in templates. */
const values: { readonly [variable: string]: readonly string[] } = {
  'change.what': ['add', 'change', 'remove'],
  act: ['accept', 'refuse'],
}

function namesOf(template: string): readonly string[] {
  const [whole, variable] = /\$\{([\w.]+)\}/.exec(template) ?? []
  if (whole === undefined || variable === undefined) return [template]
  const known = values[variable]
  if (!known) throw new Error(`Add the values of ${variable} to this test`)
  return known.map((value) => template.replace(whole, value))
}

it('the table of recorded changes is complete', () => {
  const recorded = sources.flatMap((text) =>
    places.flatMap((place) => [...text.matchAll(place)].flatMap(([, , template = '']) => namesOf(template))),
  )
  const page = readFileSync(join(root, 'docs/guides/gateway.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`toolwire\/[^|]*) \|/gm)].map(([, cell = '']) => cell)
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`toolwire\/([a-z-]+)`/g)].map(([, name = '']) => name))
  expect(recorded.length).toBeGreaterThan(20)
  expect(listed.toSorted()).toEqual([...new Set(recorded)].toSorted())
})
