import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const packages = fileURLToPath(new URL('../..', import.meta.url))
const assignsFunction = /^\s*[\w.#!]+\.#?\w+ \??\??= (async )?(\([^)]*\)|\w+) =>/m

/** These files assign a function once per session, task, gateway or cancelled statement, and not per call. */
const notForEachCall = [
  'gateway/src/lifecycle/running-gateway.ts',
  'gateway/src/store/postgres/connection.ts',
  'gateway/src/upstreams/logins/upstream-logins.ts',
  'toolwire/src/server/tasks/running-task.ts',
  'toolwire/src/transports/http/server/sessions/http-sessions.ts',
]

it('no source file assigns an inline function to a property, which would outlive its call and retain memory (decision 12)', () => {
  const sources = ['toolwire/src', 'gateway/src'].flatMap((folder) =>
    readdirSync(`${packages}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  )
  const found = sources.filter((path) => assignsFunction.test(readFileSync(`${packages}/${path}`, 'utf8')))
  expect(found.sort()).toEqual(notForEachCall)
})
