// What may be sent as a file: LIMITS of functions/whatsapp/worker/media/types.py. The API checks it again.

export type FileType = "image" | "video" | "audio" | "document";

const MB = 1_048_576;
const TYPES: { type: FileType; mimeTypes: string[]; largestBytes: number }[] = [
  { type: "image", mimeTypes: ["image/jpeg", "image/png"], largestBytes: 5 * MB },
  { type: "video", mimeTypes: ["video/mp4", "video/3gpp"], largestBytes: 16 * MB },
  { type: "audio", mimeTypes: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"], largestBytes: 16 * MB },
];
export const LARGEST_DOCUMENT = 100 * MB;

export interface Kind {
  type: FileType;
  mimeType: string;
  largestBytes: number;
}

// Files of other types, and pictures and films that are too large for their type, are sent as documents.
export function kindOf(mimeType: string, bytes: number): Kind {
  const plain = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType.toLowerCase() : "application/octet-stream";
  const found = TYPES.find((one) => one.mimeTypes.includes(plain) && bytes <= one.largestBytes);
  if (found) return { type: found.type, mimeType: plain, largestBytes: found.largestBytes };
  return { type: "document", mimeType: plain, largestBytes: LARGEST_DOCUMENT };
}

export function takesCaption(type: FileType): boolean {
  return type !== "audio";
}
