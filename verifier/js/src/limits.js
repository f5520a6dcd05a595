/** Every limit of the protocol that bounds an input, by its section. */

export const MAX_DEPTH = 32; // 1.1
export const MAX_LINE_BYTES = 16_384; // 1.1, without the LF
export const MAX_HEADER_BYTES = 65_536; // 1.1, of a bundle's header and of a held file's log line
export const MAX_FILE_BYTES = 16_777_216; // 1.1 for a bundle, 5.2 for a held file
export const MAX_KEY_NAME_BYTES = 255; // 1.6
export const MAX_SIGNATURE_LINES = 100; // 1.6
export const MAX_PROOF_HASHES = 63; // 1.7
export const MAX_POLICY_BYTES = 65_536; // 5.3
export const DAY_MS = 86_400_000; // 2.2
