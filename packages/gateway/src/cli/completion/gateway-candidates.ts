import type { RemoteTool } from 'toolwire/client'
import { abortAfter } from '../../bounds/abort-after.js'
import { isObject } from '../../json/is-object.js'
import { ownMember } from '../../json/own-member.js'
import { apiClientOf } from '../api/api-client.js'
import { choicesOf, typesOf } from '../arguments/read-value.js'
import type { CommandInput } from '../command.js'
import { listIn, objectIn, stringIn } from '../json-members.js'
import { gatewayUrl } from '../target/target.js'

const patienceMs = 1_500
const harmless = /^[\w.:/@+-]+$/

/** Names of tools. A name with special characters of a shell is left out. */
export async function toolCandidates(input: CommandInput): Promise<string[]> {
  return (await toolsOf(input)).map(({ name }) => name).filter((name) => harmless.test(name))
}

export type TypedWords = { readonly operands: readonly string[]; readonly current: string }

/** `name=` for arguments that are not given yet, and the values of an argument with a fixed set. */
export async function argumentCandidates({ operands, current }: TypedWords, input: CommandInput): Promise<string[]> {
  const tool = (await toolsOf(input)).find(({ name }) => name === operands[0])
  if (!tool) return []
  const properties = objectIn(tool.inputSchema, 'properties')
  const given = operands.slice(1).map((word) => word.split(/:?=/)[0])
  const [name = ''] = current.split('=')
  const words = current.includes('=')
    ? valuesOf(ownMember(properties, name)).map((value) => `${name}=${value}`)
    : Object.keys(properties)
        .filter((one) => !given.includes(one))
        .map((one) => `${one}=`)
  return words.filter((word) => harmless.test(word.replace('=', '')))
}

function valuesOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const choices = choicesOf(schema) ?? (typesOf(schema).includes('boolean') ? [true, false] : [])
  return choices.map(String)
}

/** The servers that require a login. */
export const loginCandidates = (input: CommandInput): Promise<readonly string[]> =>
  atOnce(input, async (signal) => {
    const logins = listIn(await apiClientOf({ ...input, signal }).request('/logins'), 'logins')
    return logins.flatMap((one) => stringIn(one, 'server') ?? [])
  })

const toolsOf = (input: CommandInput): Promise<readonly RemoteTool[]> =>
  atOnce(input, async (signal) => {
    const { connect } = await import('toolwire/client')
    const key = input.env.TOOLWIRE_API_KEY
    const auth = key ? { auth: { token: key } } : {}
    await using client = await connect(`${gatewayUrl(input)}/mcp`, { signal, onWarning: () => undefined, ...auth })
    return await client.listTools({ signal })
  })

/** The gateway's answer, or nothing if the gateway is slow, because completion must be fast. */
async function atOnce<T>(input: CommandInput, ask: (signal: AbortSignal) => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask(abortAfter(input.signal, patienceMs))
  } catch {
    return [] // without a gateway there is nothing to complete
  }
}
