// Keep-alive connections that send the next request as soon as they get an answer. Requests are written as raw text.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { checker } from './check.js'
import { openConversation, requestText } from './conversation.js'
import { type Driver, nextId, wideAwake } from './driver.js'
import { AnswerReader } from './http-answer.js'
import type { Question, Revision } from './wire.js'

export interface HttpLoad {
  readonly port: number
  readonly revision: Revision
  readonly question: Question
  readonly connections: number
}

export async function httpDriver({ port, revision, question, connections }: HttpLoad): Promise<Driver> {
  const request = requestText(await openConversation(port, revision), question)
  const check = checker(question)
  let open: Connection[] = []
  let freshUntil = 0

  async function askUntil(connection: Connection, until: number): Promise<number> {
    for (let count = 1; ; count += 1) {
      const id = nextId()
      check(await connection.exchange(request(id)), id)
      if (performance.now() >= until) return count
    }
  }

  return {
    async run(milliseconds) {
      const until = performance.now() + milliseconds
      // Servers close idle connections after some seconds, so a late run opens new ones.
      if (performance.now() > freshUntil) {
        for (const connection of open) connection.close()
        open = await Promise.all(Array.from({ length: connections }, async () => new Connection(await connected(port))))
      }
      const counts = await wideAwake(() => Promise.all(open.map((connection) => askUntil(connection, until))))
      freshUntil = performance.now() + 2000
      return counts.reduce((sum, count) => sum + count, 0)
    },
    close() {
      for (const connection of open) connection.close()
    },
  }
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

class Connection {
  #socket: Socket
  #reader = new AnswerReader()
  #resolve: (text: string) => void = () => {}
  #reject: (problem: unknown) => void = () => {}

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (problem) => this.#reject(problem))
    socket.on('close', () => this.#reject(new Error('the server closed a connection that was waiting for an answer')))
  }

  exchange(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    try {
      const text = this.#reader.push(chunk)
      if (text !== undefined) this.#resolve(text)
    } catch (problem) {
      this.#reject(problem)
      this.#socket.destroy()
    }
  }
}
