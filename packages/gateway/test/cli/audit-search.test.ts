// `toolwire audit` at a gateway that answers a long search with short and empty pages.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { commandHere } from '../support/command-here.js'
import { clean } from '../support/run-program.js'

type Page = { readonly calls: readonly object[]; readonly before?: number }

/** A gateway with these answers to the searches, and the queries that it has received. */
async function gatewayWith(pageOf: (query: URLSearchParams) => Page) {
  const queries: { [name: string]: string }[] = []
  const gateway = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://gateway').searchParams
    queries.push(Object.fromEntries(query))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pageOf(query)))
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void gateway.close())
  const env = { ...clean('/tmp'), TOOLWIRE_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` }
  return { queries, audit: (...words: string[]) => commandHere(['audit', ...words], { env }) }
}

const callAt = (sequence: number, outcome = 'ok') => ({
  sequence,
  call: `c${sequence}`,
  at: 1,
  caller: 'ann',
  tool: 'send',
  outcome,
})

/** Each page is the first of these that begins below the asked position. */
const pagesOf = (pages: readonly (Page & { readonly from: number })[]) => (query: URLSearchParams) => {
  const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY)
  const { from: _, ...page } = pages.find(({ from }) => from < before) ?? { from: 0, calls: [] }
  return page
}

it('a search goes on after empty and short pages, until nothing is left', async () => {
  const { queries, audit } = await gatewayWith(
    pagesOf([
      { from: 30_000, calls: [], before: 20_000 },
      { from: 19_999, calls: [callAt(15_000)], before: 10_000 },
      { from: 9_999, calls: [callAt(3)] },
    ]),
  )
  const { stdout } = await audit('--json', '--caller', 'ann')
  expect(JSON.parse(stdout)).toEqual({ calls: [callAt(15_000), callAt(3)] })
  expect(queries).toEqual([
    { caller: 'ann', limit: '50' },
    { caller: 'ann', limit: '50', before: '20000' },
    { caller: 'ann', limit: '49', before: '10000' },
  ])
})

it('a search names the standing approval that allowed a call', async () => {
  const calls = [
    { ...callAt(5), ground: 'grant:7f3a' },
    { ...callAt(3), ground: 'claim' },
  ]
  const { audit } = await gatewayWith(() => ({ calls }))
  const { stdout } = await audit()
  expect(stdout).toContain('ok (standing approval 7f3a)')
  expect(stdout).toContain('ok (unverified claim)')
})

it('a search ends at its limit, and says that there are more calls', async () => {
  const { queries, audit } = await gatewayWith(
    pagesOf([
      { from: 30_000, calls: [callAt(30_000)], before: 20_000 },
      { from: 19_999, calls: [callAt(15_000)], before: 10_000 },
    ]),
  )
  expect((await audit('--limit', '2')).stderr).toContain('There are more calls')
  expect(JSON.parse((await audit('--json', '--limit', '2')).stdout).before).toBe(10_000)
  expect(queries.map(({ limit }) => limit)).toEqual(['2', '1', '2', '1'])
})

it('calls with other outcomes are counted on all pages, too', async () => {
  const { audit } = await gatewayWith((query) => {
    if (query.has('outcome')) return query.has('before') ? { calls: [] } : { calls: [], before: 20_000 }
    return query.has('before') ? { calls: [callAt(4, 'error')] } : { calls: [callAt(25_000, 'error')], before: 20_000 }
  })
  expect((await audit('--outcome', 'failed')).stderr).toMatch(/^No recorded calls match\. With other outcomes: 2 error\. /)
})

it('a search fails if the next page is not older', async () => {
  const { audit } = await gatewayWith(() => ({ calls: [], before: 20_000 }))
  expect(await audit()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('does not proceed') })
})
