import { Refusal } from 'toolwire'
import type { ApprovalStore, Approver, GrantStore } from 'toolwire/guard'
import { StoreFailure } from '../store/store-failure.js'

/** Tells the caller why no approval could be used. The details of a failed store are for the operator. */
const why =
  'This call needs an approval, and the gateway cannot use its store at the moment, so it was not made. Try again later.'

async function orRefusal<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof StoreFailure ? new Refusal('not-approved', why, { cause }) : cause
  }
}

export const askOrRefuse =
  (ask: Approver): Approver =>
  (request, call) =>
    orRefusal(() => ask(request, call))

export const releaseOrRefuse = (approvals: ApprovalStore): ApprovalStore => ({
  ...approvals,
  release: (id, digest) => orRefusal(() => approvals.release(id, digest)),
})

export const listOrRefuse = (grants: GrantStore): GrantStore => ({ ...grants, list: () => orRefusal(() => grants.list()) })
