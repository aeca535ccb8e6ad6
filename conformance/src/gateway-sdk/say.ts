import type { ServerContext } from '@modelcontextprotocol/server'

export type Request = ServerContext['mcpReq']
type JsonSchemaOf = { readonly '~standard': { readonly jsonSchema: { input(options: { target: 'draft-2020-12' }): object } } }

export const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** Converts a schema of our fixtures to the SDK's type. */
export const json = (schema: unknown) =>
  // All schemas of our fixtures were made from JSON Schema and return it.
  (schema as JsonSchemaOf)['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as never
