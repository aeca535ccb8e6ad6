// Starts misbehaving peers as processes, and reads their notes.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Target } from '../../src/config/gateway-config.js'

export type Style = 'handshake' | 'per-request'
export const styles: readonly Style[] = ['handshake', 'per-request']

const program = (name: string): string => fileURLToPath(new URL(`./peers/${name}.mjs`, import.meta.url))
type PeerMessage = { readonly url?: string; readonly run?: string; readonly word?: string }

/** A peer over HTTP; each script has its own address. */
export class HttpPeer {
  readonly url: string
  readonly #process: ChildProcess
  readonly #notes = new Map<string, string[]>()
  #runs = 0

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.url = url
    process.on('message', ({ run = '', word }: PeerMessage) => {
      if (word !== undefined) this.#notes.set(run, [...(this.#notes.get(run) ?? []), word])
    })
  }

  static async start(port = 0): Promise<HttpPeer> {
    const process = fork(program('http'), [String(port)])
    const url = await new Promise<string>((resolve, reject) => {
      process.once('message', (message: PeerMessage) => resolve(message.url ?? ''))
      process.once('exit', (code) => reject(new Error(`The peer has ended with ${code}`)))
    })
    return new HttpPeer(process, url)
  }

  /** The address of a script, and the notes that the script makes there. */
  plays(script: string, style: Style): { readonly target: Target; readonly notes: () => readonly string[] } {
    const run = String(++this.#runs)
    const target: Target = { kind: 'http', url: `${this.url}/${script}/${style}/${run}`, headers: {} }
    return { target, notes: () => this.#notes.get(run) ?? [] }
  }

  /** Revokes the last issued token. */
  revoke(): void {
    this.#process.send('revoke')
  }

  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode === null && this.#process.signalCode === null && this.#process.kill('SIGKILL')) await ended
  }
}

/** A peer that its client starts as a child process. */
export function childPeer(script: string, style: Style): { readonly target: Target; readonly notes: () => readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-peer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes')
  const target: Target = { kind: 'child', command: process.execPath, args: [program('child'), script, style, file], env: {} }
  return { target, notes: () => linesOf(file) }
}

export function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    throw thrown
  }
}

/** False for a zombie: a process that has ended but was not waited for. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false // no process has this number any more
  }
  return process.platform !== 'linux' || !linesOf(`/proc/${pid}/stat`).some((line) => line.includes(') Z '))
}

export const pidsIn = (notes: readonly string[]): number[] =>
  notes.flatMap((word) => (word.startsWith('pid ') ? [Number(word.slice(4))] : []))
