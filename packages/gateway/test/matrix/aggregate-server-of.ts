// An aggregate server over the servers of the matrix.

import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { Upstream } from '../../src/upstreams/upstream.js'

export type OpenedServer = { readonly offer: AggregateServer; close(): Promise<void> }

/** Opens the upstreams and reads their lists, without knowing their revisions. */
export async function aggregateServerOf(configs: readonly UpstreamConfig[], pocket: boolean): Promise<OpenedServer> {
  const upstreams = configs.map((config) => new Upstream(config))
  const profile = pocket ? 'pocket' : 'official'
  const offer = new AggregateServer({
    upstreams,
    server: { name: 'gateway', version: '1.0.0', profile, guard: { audit: false } },
  })
  await offer.open()
  const close = async () => {
    offer.close()
    await Promise.all(upstreams.map((upstream) => upstream.close()))
  }
  return { offer, close }
}
