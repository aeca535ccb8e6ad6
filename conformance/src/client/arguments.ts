// Scenarios about the arguments that a server receives.
import type { JsonObject } from 'toolwire'
import { connect } from 'toolwire/client'
import type { Context, Play } from './play.js'

/** Makes the calls that the suite has listed in its context. */
export const customHeaders: Play = async ({ url, context }) => {
  await using client = await connect(url)
  for (const { name, arguments: args } of callsOf(context)) await client.call(name, args)
}

/** Sends the schema of a tool back to the suite, unchanged. */
export const preservation: Play = async ({ url }) => {
  await using client = await connect(url)
  const tool = (await client.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool')
  if (!tool) throw new Error('The tool was not listed')
  await client.call('json_schema_echo', { schema: tool.inputSchema })
}

type Call = { readonly name: string; readonly arguments: JsonObject }

const callsOf = ({ toolCalls }: Context): readonly Call[] => toolCalls as Call[] // the suite's own format
