# Never run. Copy this into a tap of yours, and write what you would pass to git clone for URL.
class Freehold < Formula
  desc "Owning pointers and memory resources for C++20"
  license "BSL-1.0"
  url "URL", using: :git, tag: "v0.2.0"
  head "URL", using: :git, branch: "main"

  depends_on "cmake" => :build

  def install
    system "cmake", "-S", ".", "-B", "build", "-DFREEHOLD_BUILD_TESTS=OFF", *std_cmake_args
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"test.cpp").write <<~CPP
      #include <freehold/freehold.hpp>
      int main() { return *freehold::make_shared<int>(0); }
    CPP
    system ENV.cxx, "-std=c++20", "-I#{include}", "test.cpp", "-o", "test"
    system "./test"
  end
end
