import type { JsonObject } from 'toolwire'
import { apiClientOf } from '../api/api.js'
import { listIn } from '../json.js'
import type { CommandInput } from '../spec.js'

/** The logins of the gateway, for those who may know of them. */
export async function listLogins(input: CommandInput): Promise<readonly JsonObject[]> {
  try {
    return listIn(await apiClientOf(input).request('/logins'), 'logins')
  } catch {
    return [] // tools are for everybody, this is for who may manage the gateway
  }
}
