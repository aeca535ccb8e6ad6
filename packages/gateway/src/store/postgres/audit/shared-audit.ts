import type { AuditParts } from '../open-postgres-store.js'
import type { SchemaPart } from '../schema/migrate.js'
import { auditTables } from './audit-tables.js'
import { postgresAudit } from './postgres-audit.js'

export const auditSchema: SchemaPart = { name: 'audit', migrations: [{ serves: 1, statements: auditTables }] }

/** The log of all gateways that use the database: each start of one writes a stream of its own. */
export async function sharedAudit({ postgres, signer, replica, onNote }: AuditParts) {
  const audit = await postgresAudit({ postgres, signer, stream: replica, onTrouble: onNote })
  return {
    audit,
    get trouble() {
      return audit.trouble
    },
    close: () => audit.close(),
  }
}
