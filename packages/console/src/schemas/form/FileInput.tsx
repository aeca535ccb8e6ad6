import { useId, useState } from 'preact/hooks'

const largest = 3 * 1024 * 1024

/** Reads a file of the person's as base64. Nothing is sent before they send the form. */
export function FileInput({ onRead }: { onRead: (base64: string) => void }) {
  const id = useId()
  const [trouble, setTrouble] = useState('')
  async function read(file: File | undefined): Promise<void> {
    if (!file) return
    if (file.size > largest) return setTrouble('The file is larger than 3 MiB, the limit for a call.')
    setTrouble('')
    onRead(base64Of(new Uint8Array(await file.arrayBuffer())))
  }
  return (
    <div class="file-into">
      <label for={id}>Or from a file</label>
      <input id={id} type="file" onChange={({ currentTarget }) => void read(currentTarget.files?.[0])} />
      {trouble && <p class="error">{trouble}</p>}
    </div>
  )
}

const piece = 32_768

function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += piece) binary += String.fromCharCode(...bytes.subarray(from, from + piece))
  return btoa(binary)
}
