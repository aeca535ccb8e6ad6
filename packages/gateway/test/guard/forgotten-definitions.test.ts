// Servers that keep inventing names do not fill the memory: definitions that they no longer list are dropped.
import { server as app, type Prompt, prompt, type Resource, resource, type Server, type Template, template, tool } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { firstSeenRecorder } from '../../src/guard/tools/first-seen.js'
import { ask, folder, http, started, storeIn, until, upstreamConfig } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const word = (random: Random) => random.word(12)

/** Lists up to `most` new names of each kind; returns the names under which they wait for acceptance. */
async function listAnew(server: Server, random: Random, most: number): Promise<string[]> {
  const some = () => Array.from({ length: random.below(most + 1) }, () => word(random))
  const [tools, prompts, fixed, templates] = [some(), some(), some(), some()]
  await server.tools.setInTurns(tools.map((name) => [name, tool({ description: name, run: () => name })]))
  await server.prompts.setInTurns(prompts.map((name): [string, Prompt] => [name, prompt({ run: () => name }) as Prompt]))
  await server.resources.setInTurns([
    ...fixed.map((name): [string, Resource | Template] => [name, resource({ uri: `memo://${name}`, read: () => name })]),
    ...templates.map((name): [string, Resource | Template] => [
      name,
      template({ uriTemplate: `memo://${name}/{a}`, read: () => name }) as Template,
    ]),
  ])
  return [
    ...tools.map((name) => `new__${name}`),
    ...prompts.map((name) => `prompt new__${name}`),
    ...fixed.map((name) => `resource memo://${name}`),
    ...templates.map((name) => `template memo://${name}/{a}`),
  ].toSorted()
}

it('a waiting definition is dropped when its server no longer lists it, and waits again when it returns', async () => {
  const random = new Random(5)
  const server = app({ name: 'new', version: '1.0.0', tools: {}, prompts: {}, resources: {} })
  const { url } = await listening(server)
  const gateway = await started({
    upstreams: [upstreamConfig('new', http(url))],
    guard: { ...defaultGuard, pins: 'strict' },
  })
  const waiting = async () => {
    const { waiting } = (await ask(gateway, '/pins')).body as { waiting: { tool: string }[] }
    return waiting.map((one) => one.tool).toSorted()
  }
  const settles = async (listed: readonly string[]) => {
    await until(async () => (await waiting()).join() === listed.join())
    expect(await waiting()).toEqual(listed)
  }
  for (let round = 0; round < 6; round++) await settles(await listAnew(server, random, 8))
  await settles(await listAnew(server, random, 0))
  const again = new Random(9)
  const listed = await listAnew(server, again, 8)
  await settles(listed)
  await settles(await listAnew(server, random, 0))
  await settles(await listAnew(server, new Random(9), 8))
})

it('the first-seen time of tools is kept for a limited number of the latest ones of each server', async () => {
  const random = new Random(3)
  const directory = folder()
  const store = await storeIn(directory)
  const most = 20
  const record = firstSeenRecorder(store.marks, most)
  const arrive = (server: string, name: string) =>
    record({ name, listed: { name }, definition: { server } } as unknown as ReadyTool)
  arrive('quiet', 'only')
  const names = Array.from({ length: 50 + random.below(100) }, () => word(random))
  const kept = () => store.marks.list('seen')
  const of = (server: string) => kept().filter((mark) => mark.server === server)
  for (const [at, name] of names.entries()) {
    arrive('inventive', name)
    // The store refuses writes when too many wait for the disk.
    if (at % 10 === 9) await until(() => of('inventive').some(({ tool }) => tool === name))
  }
  await until(() => of('inventive').length === most && of('quiet').length === 1)
  expect(
    of('inventive')
      .map(({ tool }) => tool)
      .toSorted(),
  ).toEqual(names.slice(-most).toSorted())
  await store.close()
  const later = await storeIn(directory)
  expect(later.marks.list('seen')).toHaveLength(most + 1)
  await later.close()
})
