import { access, constants, mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileErrorReason } from '../../config/documents/read-document.js'
import { usageProblem } from '../command.js'
import { visibleTextLine } from '../terminal/visible-text.js'

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

/** Creates a folder for files; throws before anything is called if it cannot take them. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (thrown) {
    throw usageProblem(
      `Files cannot be saved in ${visibleTextLine(folder)}: ${fileErrorReason(thrown)}. Choose another folder with --out`,
    )
  }
}

/** Writes a new file and returns its path, whose extension comes from a fixed list, because servers are not trusted. */
export async function saveFile(data: string, mimeType: string, { tool, folder }: { tool: string; folder: string }) {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
  const extension = Object.hasOwn(extensions, type) ? extensions[type] : 'bin'
  const stem = tool.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 80)
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
