import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { killProcess, type Running, startProcess } from './processes.js'

const program = fileURLToPath(new URL('../../packages/gateway/dist/toolwire.js', import.meta.url))
const fakeTime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

export type ReplicaOptions = {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly config: string
  /** The signing key of all replicas. */
  readonly auditKey: string
  readonly env: Readonly<Record<string, string>>
  /** The clock can be set. With libfaketime, reading the time is slower. */
  readonly hasOwnClock: boolean
}

/** One gateway, which can be stopped and started again. */
export class Replica {
  readonly name: string
  readonly port: number
  readonly dataDir: string
  readonly #options: ReplicaOptions
  #running: Running | undefined
  #logs = ''

  constructor(options: ReplicaOptions) {
    this.name = options.name
    this.port = options.port
    this.dataDir = join(options.folder, options.name)
    this.#options = options
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 })
    copyFileSync(options.auditKey, join(this.dataDir, 'audit.key'))
  }

  async start(): Promise<void> {
    const { config, env, folder } = this.#options
    const words = ['up', config, '--json', '--no-console', '--port', String(this.port), '--data-dir', this.dataDir]
    this.setClock(0)
    const faked = {
      LD_PRELOAD: fakeTime,
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    rmSync(join(this.dataDir, 'management.token'), { force: true })
    this.#running = startProcess(process.execPath, [program, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: this.dataDir, ...env, ...(this.#options.hasOwnClock && faked) },
    })
    if ((await this.#running.firstLine) === undefined) throw new Error(`${this.name} did not start: ${this.#running.log()}`)
  }

  get pid(): number {
    return this.#running?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.#running.hasEnded
  }

  /** Sets the wall clock ahead by some seconds; the gateway notices within a second. */
  setClock(aheadSeconds: number): void {
    if (this.#options.hasOwnClock) writeFileSync(this.#clockFile, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}`)
  }

  get #clockFile(): string {
    return join(this.dataDir, 'clock')
  }

  async ready(): Promise<void> {
    while (this.isRunning) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined)
      if (answer && answer.status !== 503) return
      await pause(50)
    }
  }

  /** The difference to this process's clock, from the Date header of a response. */
  async clockAheadMs(): Promise<number> {
    const { headers } = await fetch(`http://127.0.0.1:${this.port}/health`)
    return Date.parse(headers.get('date') ?? '') - Date.now()
  }

  signal(name: NodeJS.Signals): void {
    this.#running?.signal(name)
  }

  /** Kills the gateway as in a crash. */
  async kill(): Promise<void> {
    if (this.#running) await killProcess(this.#running)
    this.#keepLog()
  }

  /** Stops the gateway gracefully. Returns false if it had to be killed. */
  async stop(patienceMs = 20_000): Promise<boolean> {
    const running = this.#running
    if (!running) return true
    running.signal('SIGTERM')
    const inTime = await Promise.race([running.ended.then(() => true), pause(patienceMs, false, { ref: false })])
    if (!inTime) await killProcess(running)
    this.#keepLog()
    return inTime
  }

  #keepLog(): void {
    this.#logs += this.#running?.log() ?? ''
    this.#running = undefined
  }

  log(): string {
    return this.#logs + (this.#running?.log() ?? '')
  }

  /** Sends a request to the management API; undefined without a response. */
  async manage(path: string, body?: object): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    try {
      const [token = ''] = readFileSync(join(this.dataDir, 'management.token'), 'utf8').split('\n')
      const response = await fetch(`http://127.0.0.1:${this.port}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5_000),
      })
      return { status: response.status, body: await response.json() }
    } catch {
      return undefined // the replica is gone, frozen, or not started yet
    }
  }
}
