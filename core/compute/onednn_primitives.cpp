#include "core/compute/onednn_primitives.h"

namespace headscope {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

dnnl::primitive_attr Attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// Interface 2 wraps an operation descriptor; interface 3 takes everything at once.
#if DNNL_VERSION_MAJOR >= 3
dnnl::primitive_desc_base Matmul(const dnnl::engine& engine,
                                 const memory::desc& in,
                                 const memory::desc& weights,
                                 const memory::desc& bias,
                                 const memory::desc& out) {
  return dnnl::matmul::primitive_desc(engine, in, weights, bias, out, Attributes());
}
dnnl::primitive_desc_base InnerProduct(const dnnl::engine& engine,
                                       const memory::desc& in,
                                       const memory::desc& weights,
                                       const memory::desc& bias,
                                       const memory::desc& out) {
  return dnnl::inner_product_forward::primitive_desc(
      engine, dnnl::prop_kind::forward_inference, in, weights, bias, out, Attributes());
}
dnnl::primitive_desc_base Convolution(const dnnl::engine& engine,
                                      const memory::desc& in,
                                      const memory::desc& weights,
                                      const memory::desc& bias,
                                      const memory::desc& out) {
  return dnnl::convolution_forward::primitive_desc(engine,
                                                   dnnl::prop_kind::forward_inference,
                                                   dnnl::algorithm::convolution_direct,
                                                   in,
                                                   weights,
                                                   bias,
                                                   out,
                                                   {1, 1},
                                                   {0, 0},
                                                   {0, 0},
                                                   Attributes());
}
#else
dnnl::primitive_desc_base Matmul(const dnnl::engine& engine,
                                 const memory::desc& in,
                                 const memory::desc& weights,
                                 const memory::desc& bias,
                                 const memory::desc& out) {
  return dnnl::matmul::primitive_desc(
      dnnl::matmul::desc(in, weights, bias, out), Attributes(), engine);
}
dnnl::primitive_desc_base InnerProduct(const dnnl::engine& engine,
                                       const memory::desc& in,
                                       const memory::desc& weights,
                                       const memory::desc& bias,
                                       const memory::desc& out) {
  return dnnl::inner_product_forward::primitive_desc(
      dnnl::inner_product_forward::desc(dnnl::prop_kind::forward_inference, in, weights, bias, out),
      Attributes(),
      engine);
}
dnnl::primitive_desc_base Convolution(const dnnl::engine& engine,
                                      const memory::desc& in,
                                      const memory::desc& weights,
                                      const memory::desc& bias,
                                      const memory::desc& out) {
  return dnnl::convolution_forward::primitive_desc(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference,
                                      dnnl::algorithm::convolution_direct,
                                      in,
                                      weights,
                                      bias,
                                      out,
                                      {1, 1},
                                      {0, 0},
                                      {0, 0}),
      Attributes(),
      engine);
}
#endif

}  // namespace

memory::desc Described(const memory::dims& dims, Tag tag, memory::data_type type) {
  return {dims, type, tag};
}

memory::data_type TypeOf(Precision precision) {
  return precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc WeightsAny(ProductKind kind, std::int64_t in, std::int64_t out, Precision precision) {
  switch (kind) {
    case ProductKind::kMatmul:
      return Described({in, out}, Tag::any, TypeOf(precision));
    case ProductKind::kInnerProduct:
      return Described({out, in}, Tag::any, TypeOf(precision));
    case ProductKind::kConvolution:
      break;
  }
  return Described({out, in, 1, 1}, Tag::any, TypeOf(precision));
}

// Describes how plain weights are stored, in the axes that the primitive names.
memory::desc WeightsPlain(ProductKind kind,
                          WeightLayout layout,
                          std::int64_t in,
                          std::int64_t out) {
  const bool in_out = layout == WeightLayout::kInOut;
  switch (kind) {
    case ProductKind::kMatmul:
      return Described({in, out}, in_out ? Tag::ab : Tag::ba);
    case ProductKind::kInnerProduct:
      return Described({out, in}, in_out ? Tag::ba : Tag::ab);
    case ProductKind::kConvolution:
      break;
  }
  return in_out ? Described({out, in, 1, 1}, Tag::iohw) : Described({out, in, 1, 1}, Tag::oihw);
}

// Throws dnnl::error where oneDNN has no implementation. A 1x1 convolution over nhwc reads and
// writes row-major [rows, cols] memory directly.
Candidate MakeCandidate(const dnnl::engine& engine,
                        ProductKind kind,
                        std::int64_t rows,
                        const memory::desc& weights,
                        std::int64_t in,
                        std::int64_t out) {
  Candidate made;
  made.kind = kind;
#if DNNL_VERSION_MAJOR >= 3
  const memory::data_type type = weights.get_data_type();
#else
  const memory::data_type type = weights.data_type();
#endif
  switch (kind) {
    case ProductKind::kMatmul:
      made.in = Described({rows, in}, Tag::ab, type);
      made.bias = Described({1, out}, Tag::ab);
      made.out = Described({rows, out}, Tag::ab);
      made.primitive = Matmul(engine, made.in, weights, made.bias, made.out);
      break;
    case ProductKind::kInnerProduct:
      made.in = Described({rows, in}, Tag::ab, type);
      made.bias = Described({out}, Tag::a);
      made.out = Described({rows, out}, Tag::ab);
      made.primitive = InnerProduct(engine, made.in, weights, made.bias, made.out);
      break;
    case ProductKind::kConvolution:
      made.in = Described({1, in, 1, rows}, Tag::nhwc, type);
      made.bias = Described({out}, Tag::a);
      made.out = Described({1, out, 1, rows}, Tag::nhwc);
      made.primitive = Convolution(engine, made.in, weights, made.bias, made.out);
      break;
  }
  made.name = made.primitive.impl_info_str();
  return made;
}

const char* Name(ProductKind kind) {
  switch (kind) {
    case ProductKind::kMatmul:
      return "matmul";
    case ProductKind::kInnerProduct:
      return "inner product";
    case ProductKind::kConvolution:
      break;
  }
  return "1x1 convolution";
}

Candidate MakeBatched(const dnnl::engine& engine,
                      const memory::desc& in,
                      const memory::desc& weights,
                      const memory::desc& out) {
  Candidate made;
  made.in = in;
  made.out = out;
  made.primitive = Matmul(engine, in, weights, memory::desc(), out);
  made.name = made.primitive.impl_info_str();
  return made;
}

}  // namespace headscope
