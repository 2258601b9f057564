/** Types of `outside-programs.mjs`, for tests. */
export function kindOf(file: string): Promise<"mov" | "matroska" | "heif" | undefined>;
export function frameOf(ffmpeg: string, file: string, kind: "mov" | "matroska"): Promise<Buffer | undefined>;
export function heifOf(heifConvert: string, file: string, scratch: string): Promise<Buffer | undefined>;
