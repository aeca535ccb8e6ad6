// The servers of a run: started when a measure first needs them, kept until the run ends.
import { type Lines, openLines } from './load-stdio.js'
import { pidOf, type Served, startHttp, startStdio } from './processes.js'
import type { Subject } from './subjects.js'

export interface Piped {
  readonly pid: number
  readonly lines: Lines
}

export class Fleet {
  #http = new Map<string, Promise<Served>>()
  #stdio = new Map<string, Promise<Piped>>()

  http(subject: Subject, env: Record<string, string>): Promise<Served> {
    return remember(this.#http, subject.name + JSON.stringify(env), () => startHttp(subject.httpScript, env))
  }

  stdio(subject: Subject): Promise<Piped> {
    return remember(this.#stdio, subject.name, async () => {
      const child = startStdio(String(subject.stdioScript))
      return { pid: pidOf(child), lines: await openLines(child) }
    })
  }
}

function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make()
  known.set(key, made)
  return made
}
