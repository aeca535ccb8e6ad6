import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Driver } from './driver.js'
import { againstControl, lanesOf } from './measure-calls.js'
import type { Reading, Run } from './measures.js'
import { firstWords, pidOf, reasonIn, tracked } from './processes.js'
import { type Lane, race } from './race.js'
import { control, type Subject, toolwire } from './subjects.js'

const callers: Readonly<Record<'http' | 'stdio', Readonly<Record<string, string>>>> = {
  http: { [control.name]: 'undici.js', [toolwire.name]: 'toolwire.js', 'sdk-v2': 'sdk-v2.js' },
  stdio: { [control.name]: 'lines.js', [toolwire.name]: 'toolwire.js', 'sdk-v2': 'sdk-v2.js' },
}

/** CPU per call of a client: the bare caller's divided by the subject's. All clients call the bare server. */
export async function measureClient(run: Run, over: 'http' | 'stdio', inFlight: number): Promise<readonly Reading[]> {
  const where =
    over === 'http' ? `http://127.0.0.1:${(await run.fleet.http(control, { TOOLS: '0' })).port}/mcp` : '../control-stdio.js'
  const able = run.subjects.filter(({ name }) => callers[over][name] !== undefined)
  const lanes = await lanesOf(run, able, (subject) => laneOf(subject, `${callers[over][subject.name]}`, { where, inFlight }))
  return againstControl(await race(lanes, run.options.pace))
}

type Place = { readonly where: string; readonly inFlight: number }

async function laneOf({ name, peer }: Subject, script: string, { where, inFlight }: Place): Promise<Lane> {
  const path = fileURLToPath(new URL(`callers/${script}`, import.meta.url))
  const caller = tracked(spawn(process.execPath, [path, where, String(inFlight)], { stdio: ['pipe', 'pipe', 'pipe'] }))
  const driver = new Turns(caller)
  await driver.ready
  return { name, peer, pid: pidOf(caller), driver }
}

/** A caller in another process that calls in turns. */
class Turns implements Driver {
  readonly ready: Promise<void>
  readonly #caller: ChildProcess
  #hear: (line: string) => void = () => {}
  #fail: (problem: Error) => void = () => {}

  constructor(caller: ChildProcess) {
    this.#caller = caller
    const said = firstWords(caller)
    if (caller.stdout) createInterface({ input: caller.stdout }).on('line', (line) => this.#hear(line))
    caller.once('close', () => this.#fail(new Error(`the caller ended: ${reasonIn(said())}`)))
    this.ready = this.#line().then(() => undefined)
  }

  async run(milliseconds: number): Promise<number> {
    const line = this.#line()
    this.#caller.stdin?.write(`${milliseconds}\n`)
    return Number((await line).replace('DONE ', ''))
  }

  close(): void {
    this.#caller.stdin?.end()
  }

  #line(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#hear = resolve
      this.#fail = reject
    })
  }
}
