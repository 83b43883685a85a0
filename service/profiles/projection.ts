import type { Profile } from './profile.ts';

/**
 * A profile as GET /profiles/{name} shows it: docs/specification.md wants its field names capitalized, at every level. It is an
 * allow-list: what is not named here is not shown. Nothing in it is a secret; a destination says only which secret it uses.
 */
export function projectProfile(profile: Profile): Record<string, unknown> {
  const { processing, assembly } = profile;
  return {
    Name: profile.name,
    Description: profile.description,
    Label: projectLabel(profile.label),
    Device: profile.device,
    Source: profile.source ?? null,
    Mode: profile.mode,
    Resolution: profile.resolution,
    PageSize: projectPageSize(profile.page_size),
    MaxPages: profile.max_pages,
    ScannerOptions: profile.scanner_options,
    Processing: {
      Languages: processing.languages,
      Deskew: processing.deskew,
      RotatePages: processing.rotate_pages,
      RotateBacks: processing.rotate_backs,
      OCR: processing.ocr,
      OutputType: processing.output_type,
      Optimize: processing.optimize,
      LowConfidence: processing.low_confidence,
    },
    Assembly: {
      PageGrouping: assembly.page_grouping,
      RemoveBlankPages: assembly.remove_blank_pages,
      BacksOrder: assembly.backs_order,
      Barcodes: assembly.barcodes
        ? {
            Separator: assembly.barcodes.separator,
            AsnPrefix: assembly.barcodes.asn_prefix,
            TagPrefix: assembly.barcodes.tag_prefix,
            Metadata: assembly.barcodes.metadata,
          }
        : null,
    },
    Title: profile.title,
    TimeoutSeconds: profile.timeout_seconds,
    Paths: { OutputDir: profile.paths.output_dir },
    Destinations: profile.destinations.map((destination) => ({
      Kind: destination.kind,
      BaseURL: destination.base_url,
      PublicURL: destination.public_url ?? null,
      TokenSecret: destination.token_secret,
      Tags: destination.tags ?? [],
      Correspondent: destination.correspondent ?? null,
      DocumentType: destination.document_type ?? null,
      StoragePath: destination.storage_path ?? null,
      CreateMissing: destination.create_missing ?? false,
      Title: destination.title ?? null,
    })),
    RequireDestinations: profile.require_destinations,
    Trigger: projectTrigger(profile.trigger),
  };
}

function projectTrigger(trigger: Profile['trigger']): unknown {
  if (trigger === undefined) return null;
  if ('paper' in trigger) return { Paper: true };
  return { Button: trigger.button, Function: trigger.function ?? null };
}

/** Languages are field names here too: `En`, `De`. */
function projectLabel(label: Profile['label']): unknown {
  if (label === undefined || typeof label === 'string') return label ?? null;
  const named = Object.entries(label).map(([tag, text]): [string, string] => [
    `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`,
    text,
  ]);
  return Object.fromEntries(named);
}

function projectPageSize(size: Profile['page_size']): unknown {
  return size === 'auto' ? 'auto' : { WidthMM: size.width_mm, HeightMM: size.height_mm };
}
