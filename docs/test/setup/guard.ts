// A log file in a new folder, and a tool that deletes a site.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from 'toolwire'
import { z } from 'zod'

export const file = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.ndjson')

export const tools = {
  delete_site: tool({
    description: 'Deletes a site',
    hints: { destructive: true },
    input: z.object({ env: z.enum(['dev', 'prod']) }),
    run: ({ env }) => `${env} is gone`,
  }),
}
