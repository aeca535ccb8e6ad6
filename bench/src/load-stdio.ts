// Load for a stdio server, with several calls in flight.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { checker } from './check.js'
import { type Driver, nextId, wideAwake } from './driver.js'
import { firstWords, reasonIn } from './processes.js'
import { initialize, initialized, messageText, type Question } from './wire.js'

/** The lines from a server, for one listener at a time. */
export class Lines {
  #child: ChildProcessWithoutNullStreams
  #rest = ''
  #receive: (lines: string[]) => void = () => {}
  #fail: (problem: Error) => void = () => {}

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => this.#push(chunk))
    const said = firstWords(child)
    child.on('close', () => this.#fail(new Error(`the server ended while it was being asked: ${reasonIn(said())}`)))
    child.stdin.on('error', (problem) => this.#fail(problem))
  }

  write(text: string): void {
    this.#child.stdin.write(text)
  }

  /** Passes every batch of lines to `take` until it returns true. */
  until(take: (lines: string[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#receive = (lines) => {
        try {
          if (take(lines)) resolve()
        } catch (problem) {
          reject(problem)
        }
      }
    })
  }

  ask(message: Record<string, unknown>): Promise<void> {
    this.write(`${JSON.stringify(message)}\n`)
    return this.until((lines) => lines.some((line) => JSON.parse(line).id === message.id))
  }

  #push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop() ?? ''
    if (lines.length > 0) this.#receive(lines)
  }
}

export async function openLines(child: ChildProcessWithoutNullStreams): Promise<Lines> {
  const lines = new Lines(child)
  await lines.ask(initialize)
  lines.write(`${JSON.stringify(initialized)}\n`)
  return lines
}

const idOf = /"id":(\d+)/

export function stdioDriver(lines: Lines, question: Question, inFlight: number): Driver {
  const message = messageText(question, '2025-11-25')
  const check = checker(question)
  const ask = (count: number) => lines.write(Array.from({ length: count }, () => `${message(nextId())}\n`).join(''))
  return {
    async run(milliseconds) {
      const until = performance.now() + milliseconds
      let waiting = inFlight
      let answered = 0
      const finished = lines.until((batch) => {
        for (const line of batch) check(line, Number(idOf.exec(line)?.[1]))
        answered += batch.length
        waiting -= batch.length
        if (performance.now() >= until) return waiting === 0
        ask(batch.length)
        waiting += batch.length
        return false
      })
      await wideAwake(() => {
        ask(inFlight)
        return finished
      })
      return answered
    },
    close() {},
  }
}
