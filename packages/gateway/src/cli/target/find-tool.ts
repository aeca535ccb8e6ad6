import type { Client, RemoteTool } from 'toolwire/client'
import { usageProblem } from '../command-error.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { nearestNames } from './nearest-names.js'

/** The tool of this name, or a sentence with the names that are like it. */
export async function findTool(client: Client, name: string): Promise<RemoteTool> {
  const tools = await client.listTools()
  const tool = tools.find((one) => one.name === name)
  if (tool) return tool
  const names = tools.map((one) => one.name)
  // Behind a gateway people leave out the server.
  const ends = names.filter((one) => one.endsWith(`__${name}`))
  const like = ends.length > 0 ? ends : nearestNames(name, names)
  const hint = like.length > 0 ? `did you mean ${like.map(visibleTextLine).join(' or ')}?` : 'see toolwire list'
  throw usageProblem(`There is no tool "${name}"; ${hint}`)
}
