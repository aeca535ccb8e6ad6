import { useRef, useState } from 'preact/hooks'
import { getJson, request } from '../api/api.js'
import type { AuditHead } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { toast } from '../parts/Toast.js'
import { toastError, WorkButton } from '../parts/WorkButton.js'

/** Limit of an export, because it is held in the memory of the browser. */
const mostBytes = 256 * 1_024 * 1_024

/** Exports the whole log as a file, and its signed head for safekeeping. */
export function Export() {
  const [bytes, setBytes] = useState<number>()
  const gone = useRef<AbortController>(undefined)
  async function save(format: 'ndjson' | 'csv'): Promise<void> {
    gone.current = new AbortController()
    setBytes(0)
    try {
      const pieces = await exported(format, gone.current.signal, setBytes)
      saveAs(`audit.${format}`, new Blob(pieces, { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' }))
    } catch (thrown) {
      if (!gone.current.signal.aborted) toastError(thrown)
    }
    setBytes(undefined)
  }
  if (bytes !== undefined)
    return (
      <span class="cluster" role="status">
        Reading the log: {(bytes / 1_048_576).toFixed(1)} MiB
        <Button small onClick={() => gone.current?.abort()}>
          Stop
        </Button>
      </span>
    )
  return (
    <span class="cluster">
      <Button small onClick={() => save('ndjson')} title="Every record, for toolwire audit verify">
        Export NDJSON
      </Button>
      <Button small onClick={() => save('csv')} title="One row per call">
        Export CSV
      </Button>
      <WorkButton small work={saveHead} title="Keep this file elsewhere to detect a truncated log">
        Signed head
      </WorkButton>
    </span>
  )
}

async function exported(format: string, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<BlobPart[]> {
  const { body } = await request(`/audit/export?format=${format}`, { signal })
  const pieces: BlobPart[] = []
  let bytes = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    pieces.push(read.value)
    bytes += read.value.length
    onBytes(bytes)
    if (bytes > mostBytes)
      throw new Error('The log is too long for a browser. In a terminal: toolwire audit export > audit.ndjson')
  }
  return pieces
}

async function saveHead(): Promise<void> {
  const { head, publicKey } = await getJson<AuditHead>('/audit/head')
  if (head === null) return toast('The log is empty, so there is no head to sign.', 'info')
  saveAs('audit-head.json', new Blob([JSON.stringify({ head, publicKey }, null, 2)], { type: 'application/json' }))
}

function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
