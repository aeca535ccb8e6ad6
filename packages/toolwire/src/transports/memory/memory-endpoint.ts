// A server in the same process, used like any other: messages pass as text, through the same parser.
import type { Served } from '../../peer/application.js'
import type { ClientTransport, Endpoint } from '../../peer/client-transport.js'
import { messageIntake } from '../message-intake.js'
import { memoryPair } from './memory-pair.js'

export function memoryEndpoint(app: Served, name: string): Endpoint {
  return {
    name,
    key: keyOf(app),
    async dial(listener): Promise<ClientTransport> {
      const intake = messageIntake(listener)
      const end = memoryPair(app['~application'])
      end.onMessage(intake.takeText)
      return {
        shape: 'pipe',
        send: ({ text }) => end.send(text),
        drop() {},
        settled: intake.settled,
        async close() {
          intake.stop()
          end.close()
        },
      }
    },
  }
}

const keys = new WeakMap<Served, string>()
let lastKey = 0

/** Numbered, because two applications may have the same name. */
function keyOf(app: Served): string {
  const key = keys.get(app) ?? `memory:${++lastKey}`
  keys.set(app, key)
  return key
}
