// The legs of the server programs: every combination of transport and revision.
import { type Client, type ConnectOptions, connect } from 'toolwire/client'
import { afterAll } from 'vitest'
import { eachNth } from '../../soak.js'
import { programOf, type Running, running } from './launch.js'

/** Features that a server lacks, possibly only over one transport. */
export type Inability = 'progress' | 'asking' | 'changes' | 'being cancelled'

export type Leg = {
  readonly name: string
  /** The expected revision. */
  readonly revision: string
  /** The latest handshake revision that the client offers, which determines its declared capabilities. */
  readonly offered: string
  readonly lacks: readonly Inability[]
  readonly connect: (options: ConnectOptions) => Promise<Client>
}

export type Way = {
  /** The mode argument of the program. */
  readonly mode?: string
  /** Revisions that the client is restricted to, one per leg. */
  readonly pinned: readonly string[]
  /** The revision that the client detects by itself. */
  readonly found?: string
  readonly lacks?: readonly Inability[]
}

export const handshake = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export const newest = '2026-07-28'

/** Starts a process for each connection. */
export const overStdio = (program: string, { mode = 'stdio', pinned, ...way }: Way): Leg[] =>
  legs(`${program} over stdio`, { ...way, pinned: eachNth(pinned, 2) }, async (options) =>
    connect(await programOf(program, mode), options),
  )

/** Starts one process for all connections of the test file. */
export function overHttp(program: string, { mode = 'http', path = '/mcp', ...way }: Way & { path?: string }): Leg[] {
  let started: Promise<Running> | undefined
  afterAll(async () => (await started)?.[Symbol.asyncDispose]())
  return legs(`${program} over HTTP (${mode} ${path})`, way, async (options) => {
    started ??= programOf(program, mode).then((made) => running(made))
    return connect(`http://127.0.0.1:${(await started).port}${path}`, options)
  })
}

/** One leg for each pinned revision, and one in which the client detects the revision. */
export function legs(name: string, { pinned, found, lacks = [] }: Way, dial: Leg['connect']): Leg[] {
  const pinnedLegs = pinned.map((revision) => ({
    name: `${name}, pinned to ${revision}`,
    revision,
    offered: revision,
    lacks,
    connect: (options: ConnectOptions) => dial({ ...options, revision }),
  }))
  return found === undefined
    ? pinnedLegs
    : [{ name: `${name}, found to be ${found}`, revision: found, offered: handshake[0], lacks, connect: dial }, ...pinnedLegs]
}
