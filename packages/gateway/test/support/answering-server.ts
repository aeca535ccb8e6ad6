// An HTTP server with fixed JSON for each method, valid or not. It is closed after the test.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Returns the URL. Methods without an answer are unknown to the server; an Error is answered as an internal one. */
export async function answering(answers: { readonly [method: string]: object }): Promise<string> {
  const serving = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    if (req.method !== 'POST') return res.writeHead(405).end()
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown; method: string }
    if (id === undefined) return res.writeHead(202).end()
    const answer = answers[method]
    const outcome = outcomeOf(answer)
    return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  await new Promise<void>((resolve) => serving.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    serving.closeAllConnections()
    await new Promise((resolve) => serving.close(resolve))
  })
  return `http://127.0.0.1:${(serving.address() as AddressInfo).port}/mcp`
}

function outcomeOf(answer: object | undefined): object {
  if (answer instanceof Error) return { error: { code: -32603, message: answer.message } }
  return answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } }
}

type Lists = { readonly tools?: readonly object[]; readonly prompts?: readonly object[]; readonly resources?: readonly object[] }

/** Answers to the list requests, and to `initialize` and `server/discover`. */
export const listsOf = ({ tools, prompts, resources, templates }: Lists & { readonly templates?: readonly object[] }) => ({
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { ...(tools && { tools: {} }), prompts: {}, resources: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  ...(tools && { 'tools/list': { tools } }),
  'prompts/list': { prompts: prompts ?? [] },
  'resources/list': { resources: resources ?? [] },
  'resources/templates/list': { resourceTemplates: templates ?? [] },
})
