import type { ServerContext } from '@modelcontextprotocol/server'

export type Request = ServerContext['mcpReq']
type JsonSchemaOf = { readonly '~standard': { readonly jsonSchema: { input(options: { target: 'draft-2020-12' }): object } } }

export const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** A schema of our fixtures as the SDK wants it. */
export const json = (schema: unknown) =>
  // All of our fixtures' schemas were made from JSON Schema, which they give back.
  (schema as JsonSchemaOf)['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as never
