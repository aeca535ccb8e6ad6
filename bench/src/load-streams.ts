// Many open change streams of one server, and the time until the last of them has received a change.
import type { Socket } from 'node:net'
import { openConversation, requestText, streamText } from './conversation.js'
import { nextId } from './driver.js'
import { connected } from './load-http.js'
import { listen, type Revision, touch } from './wire.js'

export interface StreamLoad {
  readonly port: number
  readonly revision: Revision
  readonly count: number
}

export interface Streams {
  /** Triggers a change; returns the milliseconds until every stream has received it. */
  tell(): Promise<number>
  close(): void
}

const batch = 50
const patience = 20_000

export async function openStreams({ port, revision, count }: StreamLoad): Promise<Streams> {
  const crowd = new Crowd()
  // In batches, so that no listen queue overflows.
  for (let opened = 0; opened < count; opened += batch) {
    const some = Array.from({ length: Math.min(batch, count - opened) }, () => openStream(port, revision))
    crowd.join(await Promise.all(some))
  }
  const request = requestText(await openConversation(port, revision), touch)
  // The answer to the trigger is ignored; the streams receive the change.
  const trigger = (await connected(port)).resume()
  return {
    tell() {
      const all = crowd.nextChange()
      const asked = performance.now()
      trigger.write(request(nextId()), 'latin1')
      return all.then((done) => done - asked)
    },
    close() {
      trigger.destroy()
      crowd.leave()
    },
  }
}

class Crowd {
  #sockets: Socket[] = []
  #waiting = new Set<Socket>()
  #done: (at: number) => void = () => {}

  join(sockets: Socket[]): void {
    this.#sockets.push(...sockets)
    for (const socket of sockets) socket.on('data', (chunk: Buffer) => this.#hear(socket, chunk))
  }

  /** Resolves with the time at which the last stream received the next change. */
  nextChange(): Promise<number> {
    this.#waiting = new Set(this.#sockets)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${this.#waiting.size} streams were never notified`)), patience)
      this.#done = (at) => {
        clearTimeout(timer)
        resolve(at)
      }
    })
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #hear(socket: Socket, chunk: Buffer): void {
    if (!chunk.includes('tools/list_changed')) return
    this.#waiting.delete(socket)
    if (this.#waiting.size === 0) this.#done(performance.now())
  }
}

/** Opens one stream and waits for its first bytes: a GET, or in 2026-07-28 a `subscriptions/listen`. */
async function openStream(port: number, revision: Revision): Promise<Socket> {
  const conversation = await openConversation(port, revision)
  const socket = await connected(port)
  const text = revision === '2026-07-28' ? requestText(conversation, listen)(nextId()) : streamText(conversation)
  socket.on('error', () => socket.destroy())
  socket.write(text, 'latin1')
  const first = await firstChunk(socket)
  if (!first.startsWith('HTTP/1.1 200')) throw new Error(`a stream was refused: ${first.slice(0, 300)}`)
  return socket
}

function firstChunk(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    socket.once('close', () => reject(new Error('a stream was closed while it was being opened')))
  })
}
