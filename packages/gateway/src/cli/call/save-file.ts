import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const extensions: { readonly [mimeType: string]: string } = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/webm': 'weba',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/plain': 'txt',
}
const most = 10_000

/** Writes a new file and returns its path, whose extension comes from a fixed list, because servers are not trusted. */
export async function saveFile(data: string, mimeType: string, { tool, folder }: { tool: string; folder: string }) {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
  const extension = Object.hasOwn(extensions, type) ? extensions[type] : 'bin'
  const stem = tool.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 80)
  await mkdir(folder, { recursive: true })
  for (let count = 1; count <= most; count++) {
    const path = join(folder, `${stem}-${count}.${extension}`)
    if (await written(path, data)) return relative(process.cwd(), path) || path
  }
  throw new Error(`${folder} has ${most} files of ${stem} already. Choose another folder with --out`)
}

async function written(path: string, data: string): Promise<boolean> {
  try {
    await writeFile(path, Buffer.from(data, 'base64'), { flag: 'wx' })
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw thrown
  }
}
