import { createHash } from 'node:crypto'
import { type AuditRow, type CheckpointRow, eventsOf, type History } from '../history.js'
import type { Violation } from './violation.js'

/** Each stream is a hash chain without gaps, and so are the checkpoints. Each stream contains the signed heads. */
export function checkChains(history: History): Violation[] {
  const streams = new Map<string, AuditRow[]>()
  for (const row of eventsOf(history, 'audit')) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row])
  const checkpoints = eventsOf(history, 'checkpoint')
  const links = checkpoints.map(({ number, hash, text }) => ({ sequence: number, hash, text }))
  const texts = [
    ...[...streams].flatMap(([stream, rows]) => firstFault(stream, rows)),
    ...firstFault('the checkpoints', links),
    ...checkpoints.flatMap((checkpoint) => checkpointFaults(checkpoint, streams)),
  ]
  return texts.map((text) => ({ invariant: 'chains', text }))
}

type Link = { readonly sequence: number; readonly hash: string; readonly text: string }

function firstFault(chain: string, links: readonly Link[]): string[] {
  let last: Link | undefined
  for (const link of [...links].sort((a, b) => a.sequence - b.sequence)) {
    const at = `${chain} #${link.sequence}`
    if (link.sequence !== (last?.sequence ?? 0) + 1) return [`${at} does not follow #${last?.sequence ?? 0}`]
    if (createHash('sha256').update(link.text).digest('hex') !== link.hash) return [`${at} does not match its hash`]
    const said = JSON.parse(link.text) as { sequence?: number; number?: number; previous?: string | null }
    const number = said.sequence ?? said.number
    if (number !== link.sequence) return [`${at} has the number #${number}`]
    if ((said.previous ?? null) !== (last?.hash ?? null)) return [`${at} has the hash of another record as previous`]
    last = link
  }
  return []
}

type Heads = { readonly heads?: { readonly [stream: string]: readonly [sequence: number, hash: string] } }

function checkpointFaults(
  { number, text, isSigned }: CheckpointRow,
  streams: ReadonlyMap<string, readonly AuditRow[]>,
): string[] {
  if (!isSigned) return [`checkpoint ${number} has no valid signature`]
  const { heads = {} } = JSON.parse(text) as Heads
  return Object.entries(heads).flatMap(([stream, [sequence, hash]]) => {
    const row = streams.get(stream)?.find((one) => one.sequence === sequence)
    if (!row) return [`checkpoint ${number} names #${sequence} of ${stream}, which does not exist`]
    return row.hash === hash ? [] : [`checkpoint ${number} names another hash of ${stream} #${sequence}`]
  })
}
