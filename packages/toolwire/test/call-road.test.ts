import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const packages = fileURLToPath(new URL('../..', import.meta.url))
const assignsFunction = /^\s*[\w.#!]+\.#?\w+ \??\??= (async )?(\([^)]*\)|\w+) =>/m

/** They do so once for a session, a task, a gateway or a cancelled statement, and not for each call. */
const notForEachCall = [
  'gateway/src/lifecycle/running-gateway.ts',
  'gateway/src/store/postgres/connection.ts',
  'gateway/src/upstreams/logins/upstream-logins.ts',
  'toolwire/src/server/tasks/running-task.ts',
  'toolwire/src/transports/http/server/sessions/http-sessions.ts',
]

it('no function is assigned to a property where it is written: it would outlive its call, and keep others (decision 12)', () => {
  const sources = ['toolwire/src', 'gateway/src'].flatMap((folder) =>
    readdirSync(`${packages}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  )
  const found = sources.filter((path) => assignsFunction.test(readFileSync(`${packages}/${path}`, 'utf8')))
  expect(found.sort()).toEqual(notForEachCall)
})
