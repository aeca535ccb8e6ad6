import type { RemoteTool } from 'toolwire/client'
import { abortAfter } from '../../common/abort-after.js'
import { isObject } from '../../common/json.js'
import { choicesOf, typesOf } from '../arguments/read-value.js'
import type { CommandInput } from '../command.js'
import { objectIn } from '../json-members.js'
import { commandTargetOf } from '../target/target.js'

const patienceMs = 1_500
const harmless = /^[\w.:/@+-]+$/

/** Names of tools. A name that a shell would read as more than a word is left out. */
export async function toolCandidates(input: CommandInput): Promise<string[]> {
  return (await toolsOf(input)).map(({ name }) => name).filter((name) => harmless.test(name))
}

/** `name=` for arguments that are not there yet, and the values of one that has some to choose from. */
export async function argumentCandidates(
  { operands, current }: { operands: readonly string[]; current: string },
  input: CommandInput,
): Promise<string[]> {
  const tool = (await toolsOf(input)).find(({ name }) => name === operands[0])
  if (!tool) return []
  const properties = objectIn(tool.inputSchema, 'properties')
  const given = operands.slice(1).map((word) => word.split(/:?=/)[0])
  const [name = ''] = current.split('=')
  const words = current.includes('=')
    ? valuesOf(properties[name]).map((value) => `${name}=${value}`)
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

/** The tools of the gateway, if it answers at once. Nobody waits for a Tab. */
async function toolsOf(input: CommandInput): Promise<readonly RemoteTool[]> {
  const signal = abortAfter(input.signal, patienceMs)
  try {
    const { connect } = await import('toolwire/client')
    const place = commandTargetOf(undefined, input)
    const key = input.env.TOOLWIRE_API_KEY
    if (place.kind !== 'gateway') return []
    const auth = key ? { auth: { token: key } } : {}
    await using client = await connect(`${place.url}/mcp`, { signal, onWarning: () => undefined, ...auth })
    return await client.listTools({ signal })
  } catch {
    return [] // without a gateway there is nothing to complete
  }
}
