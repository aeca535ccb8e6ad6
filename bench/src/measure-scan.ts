import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { scan } from 'toolwire/guard'
import type { sanitizing } from 'toolwire/relay'
import type { Reading } from './measures.js'
import { poisoned, victims } from './poisoned-definitions.js'
import { toolwire } from './subjects.js'

type Server = { readonly server: string; readonly tools: readonly JsonObject[] }

const corpus = join(import.meta.dirname, '../../packages/toolwire/test/data/tools/real-servers.json')

/** Percentage of honest definitions that would be withheld on first sight, and of poisoned ones. This measure takes no times. */
export async function measureScan(): Promise<readonly (readonly Reading[])[]> {
  const caught = poisoned.filter(({ definition }) => isHeld(definition, 'stranger', victims))
  const missed = poisoned.filter((one) => !caught.includes(one))
  if (missed.length > 0) console.error(`not withheld by the scan: ${missed.map(({ how }) => how).join('; ')}`)
  const found = reading((100 * caught.length) / poisoned.length, caught.length, poisoned.length)
  const servers: readonly Server[] = JSON.parse(readFileSync(corpus, 'utf8'))
  const names = servers.flatMap(({ server, tools }) => tools.map(({ name }) => ({ server, name: String(name) })))
  const held = servers.flatMap(({ server, tools }) => tools.filter((tool) => isHeld(tool, server, names)))
  if (held.length > 0) console.error(`withheld by the scan from honest servers: ${held.map(({ name }) => name).join(', ')}`)
  return [[reading((100 * held.length) / names.length, held.length, names.length)], [found]]
}

const isHeld = (definition: JsonObject, server: string, others: readonly sanitizing.OtherTool[]): boolean =>
  scan(definition, { server, others }).some(({ holds }) => holds)

const reading = (value: number, count: number, of: number): Reading => ({
  subject: toolwire.name,
  value,
  detail: `${count} of ${of}`,
})
