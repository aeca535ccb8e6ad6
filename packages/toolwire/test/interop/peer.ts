// A common interface for the clients of both official SDKs, so that one test can drive either.
import type * as v2 from '@modelcontextprotocol/client'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

export type CallOptions = {
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void
  signal?: AbortSignal
  meta?: Record<string, unknown>
}

/** The notifications that the client has received. */
export type ReceivedNotifications = {
  tools: string[][]
  updated: string[]
  logs: { level: string; data: unknown }[]
  errors: unknown[]
}
export const noNotifications = (): ReceivedNotifications => ({ tools: [], updated: [], logs: [], errors: [] })

/** The common methods of both SDK clients, with the parts of their results that the tests read. */
type Shared = Pick<
  v2.Client,
  'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete'
>

export interface Peer extends AsyncDisposable {
  readonly version: string | undefined
  readonly received: ReceivedNotifications
  readonly client: Shared & Pick<v2.Client, 'getServerVersion' | 'getServerCapabilities' | 'getInstructions' | 'setLoggingLevel'>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallToolResult>
  /** All pages of tools as the SDK returns them. */
  tools(): Promise<readonly { name: string; inputSchema: object; outputSchema?: unknown; title?: string }[]>
  /** Subscribes to a resource. */
  watch(uri: string): Promise<unknown>
}

export type AnyTransport = TransportV1 & v2.Transport

/** Returns the negotiated version, which the SDKs pass to their transports. */
export function versionSetBy(transport: {
  setProtocolVersion?: ((version: string) => void) | undefined
}): () => string | undefined {
  let settled: string | undefined
  const tell = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    settled = version
    tell?.(version)
  }
  return () => settled
}

/** Answers to the questions of the fixture. */
export const answers = {
  form: ({ message }: { message: string }) => ({
    action: 'accept' as const,
    content: message === 'Your name?' ? { name: 'Ada' } : { yes: true },
  }),
  visit: { action: 'accept' as const },
  model: { role: 'assistant' as const, model: 'test-model', content: { type: 'text' as const, text: 'Paris' } },
  roots: { roots: [{ uri: 'file:///home/ada', name: 'home' }] },
}

export const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }
