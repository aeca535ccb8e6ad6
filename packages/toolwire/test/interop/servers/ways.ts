// Every way to reach the programs beside this file: over which transport, and speaking which revision.
import { type Client, type ConnectOptions, connect } from 'toolwire/client'
import { afterAll } from 'vitest'
import { eachNth } from '../../soak.js'
import { programOf, type Running, running } from './launch.js'

/** What a server cannot do, or not over that transport. */
export type Inability = 'progress' | 'asking' | 'changes' | 'being cancelled'

export type Leg = {
  readonly name: string
  /** What has to be settled on. */
  readonly revision: string
  /** The newest revision with a handshake that the client offers: what it says that it can do follows from that. */
  readonly offered: string
  readonly lacks: readonly Inability[]
  readonly connect: (options: ConnectOptions) => Promise<Client>
}

export type Way = {
  /** How the program is to be started. */
  readonly mode?: string
  /** Revisions to insist on, one after the other. */
  readonly pinned: readonly string[]
  /** What is found when the client is not told. */
  readonly found?: string
  readonly lacks?: readonly Inability[]
}

export const handshake = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export const newest = '2026-07-28'

/** A process for each connection. */
export const overStdio = (program: string, { mode = 'stdio', pinned, ...way }: Way): Leg[] =>
  legs(`${program} over stdio`, { ...way, pinned: eachNth(pinned, 2) }, async (options) =>
    connect(await programOf(program, mode), options),
  )

/** One process for all connections, for as long as the file runs. */
export function overHttp(program: string, { mode = 'http', path = '/mcp', ...way }: Way & { path?: string }): Leg[] {
  let started: Promise<Running> | undefined
  afterAll(async () => (await started)?.[Symbol.asyncDispose]())
  return legs(`${program} over HTTP (${mode} ${path})`, way, async (options) => {
    started ??= programOf(program, mode).then((made) => running(made))
    return connect(`http://127.0.0.1:${(await started).port}${path}`, options)
  })
}

/** One leg for each revision that is insisted on, and one that leaves it to the client. */
export function legs(name: string, { pinned, found, lacks = [] }: Way, dial: Leg['connect']): Leg[] {
  const told = pinned.map((revision) => ({
    name: `${name}, pinned to ${revision}`,
    revision,
    offered: revision,
    lacks,
    connect: (options: ConnectOptions) => dial({ ...options, revision }),
  }))
  return found === undefined
    ? told
    : [{ name: `${name}, found to be ${found}`, revision: found, offered: handshake[0], lacks, connect: dial }, ...told]
}
