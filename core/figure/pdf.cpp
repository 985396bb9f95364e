// Writes figures as PDF with cairo, which embeds font subsets.
#include <cairo-pdf.h>
#include <string>
#include <vector>

#include "core/figure/figure_format.h"
#include "core/figure/pango_text.h"
#include "core/figure/surface.h"

namespace headscope {
namespace {

constexpr double kPdfUnitsPerInch = 72.0;

void Describe(cairo_surface_t* pdf, const FigurePage& page) {
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, CleanText(page.title).c_str());
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_SUBJECT, CleanText(page.caption).c_str());
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "Headscope");
  // No date: the same figure gives the same bytes, whenever it is made.
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, nullptr);
}

}  // namespace

Result<std::vector<std::byte>> DrawPdf(Figure* figure,
                                       FigureSize size,
                                       TextSetter* setter,
                                       const std::stop_token& stop) {
  ByteSink sink(stop);
  const double points = kPdfUnitsPerInch / figure->page().look.pixels_per_inch;  // of a pixel
  const Surface pdf(cairo_pdf_surface_create_for_stream(
      &ByteSink::Write, &sink, size.width * points, size.height * points));
  // The lowest version that records which text a group of glyphs stands for.
  cairo_pdf_surface_restrict_to_version(pdf.get(), CAIRO_PDF_VERSION_1_5);
  Describe(pdf.get(), figure->page());
  HEADSCOPE_TRY(DrawOn(pdf.get(), points, figure, size, setter, stop));
  cairo_surface_finish(pdf.get());
  HEADSCOPE_TRY(CheckCairo(cairo_surface_status(pdf.get()), size, stop));
  return sink.Take();
}

}  // namespace headscope
