// Recorded conversations for the revisions that no SDK uses by default. In the recordings, `>` is the client and `<` this server. The
// recorded lines were checked against the specification, and each run validates its messages with the official schema. Between two lines of
// the client the server may send its lines in any order.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { complaints } from '../official-schemas.js'
import type { FixtureOptions } from './fixture.js'
import { served } from './legs.js'
import { program } from './program.js'
import { httpWire, type Said, sseWire, stdioWire, type Wire } from './wire.js'

type Turn = { readonly says: Said; readonly hears: readonly Said[] }

function recording(name: string): Turn[] {
  const turns: { says: Said; hears: Said[] }[] = []
  for (const line of readFileSync(new URL(`recorded/${name}.txt`, import.meta.url), 'utf8').split('\n')) {
    const message = () => JSON.parse(line.slice(2)) as Said
    if (line.startsWith('> ')) turns.push({ says: message(), hears: [] })
    else if (line.startsWith('< ')) turns.at(-1)?.hears.push(message())
  }
  return turns
}

/** Sends the lines of the client. Returns the whole conversation, and throws on messages that violate the official schema. */
async function replay(wire: Wire, turns: readonly Turn[], revision: string): Promise<Turn[]> {
  const methods = new Map<unknown, string>()
  const replayed: Turn[] = []
  for (const { says, hears } of turns) {
    for (const one of [says].flat()) if (typeof one.method === 'string') methods.set(one.id, one.method)
    await wire.send(says)
    const now: Said[] = []
    while (now.length < hears.length) now.push(await wire.next())
    for (const one of now.flat())
      expect(complaints(revision, one, 'method' in one ? undefined : methods.get(one.id)), JSON.stringify(one)).toEqual([])
    replayed.push({ says, hears: now })
  }
  return replayed
}

const inAnyOrder = (turns: readonly Turn[]) =>
  turns.map(({ says, hears }) => ({ says, hears: hears.map((one) => JSON.stringify(sorted(one))).sort() }))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

const tools = ['echo', 'add', 'picture', 'sound', 'link', 'note', 'fail', 'log', 'model', 'slow', 'grow']
type Case = { readonly name: string; readonly schema: string; readonly header?: string; readonly options: FixtureOptions }
const cases: readonly Case[] = [
  { name: '2024-11-05', schema: '2024-11-05', options: { only: tools } },
  { name: '2025-03-26', schema: '2025-03-26', options: { only: tools } },
  { name: 'pocket', schema: '2025-06-18', header: '2025-06-18', options: { only: tools, profile: 'pocket' } },
]

describe.each(cases)('A recorded conversation in $name', ({ name, schema, header, options }) => {
  const turns = recording(name)

  it('is the same over stdio', async () => {
    await using wire = await stdioWire(await program(options))
    expect(inAnyOrder(await replay(wire, turns, schema))).toEqual(inAnyOrder(turns))
  })

  it('is the same over Streamable HTTP', async () => {
    await using server = await served(options)
    await using wire = httpWire(server.url, header)
    expect(inAnyOrder(await replay(wire, turns, schema))).toEqual(inAnyOrder(turns))
  })

  if (name === '2024-11-05')
    it('is the same over HTTP+SSE', async () => {
      await using server = await served(options)
      await using wire = await sseWire(server.sse)
      expect(inAnyOrder(await replay(wire, turns, schema))).toEqual(inAnyOrder(turns))
    })
})
