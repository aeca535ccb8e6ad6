import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api-client.js'
import type { CommandInput } from '../command.js'
import { listIn } from '../json-members.js'

/** The logins of the gateway, for those who may know of them. */
export async function listLogins(input: CommandInput): Promise<readonly JsonObject[]> {
  try {
    return listIn(await apiClientOf(input).request('/logins'), 'logins')
  } catch {
    return [] // tools are for everybody, this is for who may manage the gateway
  }
}
