import { serverIdOf } from '../../config/index.js'
import { type RunCommand, usageProblem } from '../command.js'
import { nearestNames } from '../target/nearest-names.js'
import { configToEdit, showConfigEdit, writeConfigEdit } from './edit-config-file.js'

export const run: RunCommand = async (input, terminal) => {
  const [name = ''] = input.operands
  const file = await configToEdit(input)
  const found = file.servers.find((one) => one.name === name) ?? file.find(name)
  if (!found) throw usageProblem(`There is no server "${name}" in ${file.path}. ${hint(name, file.servers)}`)
  file.removeServer(found)
  const id = serverIdOf(found.name, found.at)
  showConfigEdit(await writeConfigEdit(file, input), terminal, `The server ${id} is no longer`, { server: id })
}

function hint(name: string, servers: readonly { readonly name: string }[]): string {
  const names = servers.map((one) => one.name)
  const like = nearestNames(name, names)
  return like.length > 0 ? `Did you mean ${like.join(' or ')}?` : `Its servers: ${names.join(', ') || 'none'}`
}
