// Clients of the gateway: the library's own, and those of the official SDKs. All support forms and sampling.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from 'toolwire'
import { connect, memoryRevisions } from 'toolwire/client'
import { onTestFinished } from 'vitest'

type Result = { readonly isError?: boolean; readonly content: readonly { readonly type: string }[] }
export type Caller = {
  tools(): Promise<readonly string[]>
  call(name: string, args?: JsonObject, onProgress?: (progress: number) => void): Promise<Result>
  read(uri: string): Promise<unknown>
  prompt(name: string, args: Record<string, string>): Promise<unknown>
}

const about = { name: 'caller', version: '1.0.0' }
const capabilities = { elicitation: { form: {} }, sampling: {} }
const form = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
const thought = () => ({ model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'forty-two' } })

export async function ours(url: string, revision?: string): Promise<Caller> {
  const client = await connect(url, {
    verdicts: memoryRevisions(),
    onWarning: () => undefined,
    answers: { form, model: thought },
    ...(revision && { revision }),
  })
  onTestFinished(() => client.close())
  return {
    tools: async () => (await client.listTools()).map(({ name }) => name),
    call: (name, args = {}, onProgress) =>
      client.call(name, args, onProgress && { onProgress: ({ progress }) => onProgress(progress) }) as Promise<Result>,
    read: (uri) => client.readResource(uri),
    prompt: (name, args) => client.getPrompt(name, args),
  }
}

export async function sdkV1(url: string): Promise<Caller> {
  const client = new ClientV1(about, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, form)
  client.setRequestHandler(CreateMessageRequestSchema, thought)
  await client.connect(new HttpV1(new URL(url)))
  onTestFinished(() => client.close())
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, onProgress) =>
      client.callTool({ name, arguments: args }, undefined, {
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
      }) as Promise<Result>,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  }
}

export async function sdkV2(url: string): Promise<Caller> {
  const client = new ClientV2(about, { capabilities, versionNegotiation: { mode: 'auto' } })
  client.setRequestHandler('elicitation/create', form)
  client.setRequestHandler('sampling/createMessage', thought)
  await client.connect(new HttpV2(new URL(url)))
  onTestFinished(() => client.close())
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, onProgress) =>
      client.callTool(
        { name, arguments: args },
        { ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }) },
      ) as Promise<Result>,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  }
}
