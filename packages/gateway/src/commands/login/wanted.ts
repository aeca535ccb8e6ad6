import type { JsonObject } from 'toolwire'
import { apiOf } from '../api/api.js'
import { listIn } from '../json.js'
import type { Input } from '../spec.js'

/** The logins of the gateway, for those who may know of them. */
export async function loginsOf(input: Input): Promise<readonly JsonObject[]> {
  try {
    return listIn(await apiOf(input).ask('/logins'), 'logins')
  } catch {
    return [] // tools are for everybody, this is for who may manage the gateway
  }
}
