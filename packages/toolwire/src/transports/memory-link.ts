// A server in the same process, reached like any other: messages pass as text, through the same parser.
import type { Served } from '../peer/application.js'
import type { Link, Way } from '../peer/link.js'
import { Intake } from './intake.js'
import { pair } from './memory.js'

/** A way to an application in this process. */
export function memoryWay(app: Served, name: string): Way {
  return {
    name,
    key: keyOf(app),
    async dial(listener): Promise<Link> {
      const intake = new Intake(listener)
      const end = pair(app['~application'])
      end.onMessage((text) => intake.takeText(text))
      return {
        shape: 'pipe',
        send: ({ text }) => end.send(text),
        drop() {},
        settled: (revision) => intake.settled(revision),
        async close() {
          end.close()
        },
      }
    },
  }
}

const keys = new WeakMap<Served, string>()
let lastKey = 0

/** Two applications may have the same name. */
function keyOf(app: Served): string {
  const key = keys.get(app) ?? `memory:${++lastKey}`
  keys.set(app, key)
  return key
}
